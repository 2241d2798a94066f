# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# words.pl - how often each word of a file is in it: hashes, regular expressions, sort, a die that is caught
use strict;
use warnings;

my %count;
open my $file, '<', $ARGV[0] or die "$ARGV[0]: $!";
while (my $line = <$file>) {
	last if $. > 20;
	$count{lc $1}++ while $line =~ /([A-Za-z][A-Za-z'-]*)/g;
}
close $file;
eval { die { reason => 'caught' } };
my @order = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
printf "%-16s %d %s\n", $_, $count{$_}, $@->{reason} for @order[0 .. 9];
