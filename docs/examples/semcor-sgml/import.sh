python convert.py br-x01 bank.tsv
wsd import bank.tsv --at-least 2 --out data/bank --name bank
