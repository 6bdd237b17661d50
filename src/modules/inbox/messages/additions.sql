CREATE VIRTUAL TABLE `message_search` USING fts5(`scope`, `words`, content='message_words', content_rowid='row', tokenize='unicode61 remove_diacritics 2', prefix='2 3', detail=none, columnsize=0);
--> statement-breakpoint
INSERT INTO `message_search` (`message_search`, `rank`) VALUES ('automerge', 0);
--> statement-breakpoint
INSERT INTO `message_search` (`message_search`, `rank`) VALUES ('secure-delete', 1);
