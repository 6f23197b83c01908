"""Prints what is spoken in a file of samples: 16 bits, 16,000 a second, one channel."""

import sys

from pocketsphinx import Decoder

decoder = Decoder(samprate=16000, loglevel="FATAL")
for path in sys.argv[1:]:
    with open(path, "rb") as samples:
        decoder.start_utt()
        decoder.process_raw(samples.read(), full_utt=True)
        decoder.end_utt()
    hypothesis = decoder.hyp()
    print(hypothesis.hypstr if hypothesis else "")
