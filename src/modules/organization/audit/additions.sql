CREATE VIRTUAL TABLE `audit_search` USING fts5(`words`, content='audit_logs', content_rowid='row', tokenize='trigram case_sensitive 1', detail=none);
--> statement-breakpoint
INSERT INTO `audit_search` (`audit_search`, `rank`) VALUES ('automerge', 0);
--> statement-breakpoint
INSERT INTO `audit_search` (`audit_search`, `rank`) VALUES ('secure-delete', 1);
