CREATE VIRTUAL TABLE `ai_search` USING fts5(`scope`, `words`, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='4 6');
--> statement-breakpoint
INSERT INTO `ai_search` (`ai_search`, `rank`) VALUES ('automerge', 0);
