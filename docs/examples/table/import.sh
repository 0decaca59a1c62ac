wsd import bank.tsv --out data/bank --name bank
