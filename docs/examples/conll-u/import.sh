python convert.py bank.conllu bank.tsv
wsd import bank.tsv --out data/bank --name bank
