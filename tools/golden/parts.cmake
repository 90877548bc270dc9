switchboard_golden_part(images media)
switchboard_golden_part(tokenizers text_tokenizer ZLIB::ZLIB)
