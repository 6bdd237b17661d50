CREATE VIRTUAL TABLE `message_search` USING fts5(`scope`, `words`, content='message_words', content_rowid='row', tokenize='unicode61 remove_diacritics 2', prefix='2 3', detail=none, columnsize=0);
--> statement-breakpoint
INSERT INTO `message_search` (`message_search`, `rank`) VALUES ('automerge', 0);
--> statement-breakpoint
INSERT INTO `message_search` (`message_search`, `rank`) VALUES ('secure-delete', 1);
--> statement-breakpoint
ALTER TABLE `messages` ADD COLUMN `counted_slot` INTEGER GENERATED ALWAYS AS (CASE WHEN `is_test` = 0 AND `type` <> 'system' THEN CASE WHEN `source` = 'contact' THEN `timestamp_ms` WHEN `sent_at_ms` IS NOT NULL THEN `sent_at_ms` WHEN `status` = 'failed' THEN `created_at_ms` END / 900000 END) VIRTUAL;
--> statement-breakpoint
ALTER TABLE `messages` ADD COLUMN `answered_slot` INTEGER GENERATED ALWAYS AS (CASE WHEN `is_test` = 0 AND `source` IN ('agent', 'phone_app') THEN (`timestamp_ms` - `answered_after_ms`) / 900000 END) VIRTUAL;
--> statement-breakpoint
ALTER TABLE `messages` ADD COLUMN `costed_slot` INTEGER GENERATED ALWAYS AS (CASE WHEN `cost_month` IS NOT NULL AND coalesce(`cost_free_reason`, '') <> 'not_delivered' THEN coalesce(`sent_at_ms`, `created_at_ms`) / 900000 END) VIRTUAL;
