ALTER TABLE `contacts` ADD `window_closed_at_ms` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `window_closed_at_ms` integer;--> statement-breakpoint
ALTER TABLE `messages` ADD `is_silent` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `messages` SET `is_silent` = 1 WHERE `direction` = 'incoming' AND `type` <> 'system' AND `read_at_ms` = `received_at_ms`;--> statement-breakpoint
UPDATE `organizations` SET `name_key` = '';--> statement-breakpoint
UPDATE `roles` SET `words` = '';--> statement-breakpoint
UPDATE `api_keys` SET `name_key` = '';--> statement-breakpoint
UPDATE `accounts` SET `name_key` = '';--> statement-breakpoint
UPDATE `canned_responses` SET `words` = '';
