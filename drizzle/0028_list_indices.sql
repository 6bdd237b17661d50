DROP INDEX `audit_logs_type`;--> statement-breakpoint
DROP INDEX `audit_logs_resource`;--> statement-breakpoint
DROP INDEX `audit_logs_user`;--> statement-breakpoint
DROP INDEX `audit_logs_key`;--> statement-breakpoint
DROP INDEX `audit_logs_action`;--> statement-breakpoint
DROP INDEX `audit_logs_words`;--> statement-breakpoint
CREATE INDEX `audit_logs_type` ON `audit_logs` (`organization_id`,`resource_type`,`created_at_ms`,`id`,`words`);--> statement-breakpoint
CREATE INDEX `audit_logs_resource` ON `audit_logs` (`organization_id`,`resource_id`,`created_at_ms`,`id`,`api_key_id`,`user_id`,`action`,`resource_type`,`words`);--> statement-breakpoint
CREATE INDEX `audit_logs_user` ON `audit_logs` (`organization_id`,`user_id`,`created_at_ms`,`id`,`action`,`resource_type`,`words`);--> statement-breakpoint
CREATE INDEX `audit_logs_key` ON `audit_logs` (`organization_id`,`api_key_id`,`created_at_ms`,`id`,`user_id`,`action`,`resource_type`,`words`) WHERE api_key_id is not null;--> statement-breakpoint
CREATE INDEX `audit_logs_action` ON `audit_logs` (`organization_id`,`action`,`created_at_ms`,`id`,`resource_type`,`words`);--> statement-breakpoint
CREATE INDEX `audit_logs_words` ON `audit_logs` (`organization_id`,`created_at_ms`,`id`,`words`);--> statement-breakpoint
CREATE INDEX `invitations_state` ON `invitations` (`organization_id`,`accepted_at_ms`,`revoked_at_ms`,`expires_at_ms`);