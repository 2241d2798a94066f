# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# words.bare.pl - as words.pl, but without modules, whose files a guest would need, and of fewer lines
open my $file, '<', $ARGV[0] or die "$ARGV[0]: $!";
my %count;
while (my $line = <$file>) {
	last if $. > 5;
	$count{lc $1}++ while $line =~ /([A-Za-z][A-Za-z'-]*)/g;
}
close $file;
eval { die { reason => 'caught' } };
my @order = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
print "$_ $count{$_} $@->{reason}\n" for @order[0 .. 9];
