python convert.py bank.webanno.tsv bank.tsv
wsd import bank.tsv --word bank --out data/bank --name bank --any-form
