python convert.py bank.naf bank.tsv
wsd import bank.tsv --out data/bank --name bank
