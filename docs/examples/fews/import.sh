python convert.py train.txt bank.tsv
wsd import bank.tsv --out data/bank --name bank
