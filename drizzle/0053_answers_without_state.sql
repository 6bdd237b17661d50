PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_idempotency_keys` (
	`organization_id` text NOT NULL,
	`caller` text NOT NULL,
	`key_hash` text NOT NULL,
	`route` text NOT NULL,
	`body_hash` text NOT NULL,
	`status` integer,
	`answer_sealed` text,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `caller`, `key_hash`, `route`),
	CONSTRAINT "idempotency_answered" CHECK(("__new_idempotency_keys"."status" is null) = ("__new_idempotency_keys"."answer_sealed" is null))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_idempotency_keys`("organization_id", "caller", "key_hash", "route", "body_hash", "status", "answer_sealed", "created_at_ms") SELECT "organization_id", "caller", "key_hash", "route", "body_hash", "status", "answer_sealed", "created_at_ms" FROM `idempotency_keys`;--> statement-breakpoint
DROP TABLE `idempotency_keys`;--> statement-breakpoint
ALTER TABLE `__new_idempotency_keys` RENAME TO `idempotency_keys`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `idempotency_keys_age` ON `idempotency_keys` (`created_at_ms`);