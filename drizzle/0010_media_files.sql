INSERT INTO `media` (`organization_id`, `id`, `origin`, `kind`, `state`, `mime_type`, `filename`, `size_bytes`, `account_id`, `platform_media_id`, `platform_sha256`, `last_error`, `created_at_ms`, `updated_at_ms`)
	SELECT `organization_id`, `id`, 'inbound', `type`, CASE json_extract(`media`, '$.state') WHEN 'failed' THEN 'failed' ELSE 'pending' END, json_extract(`media`, '$.mime_type'), json_extract(`media`, '$.filename'),
		json_extract(`media`, '$.size_bytes'), `account_id`, json_extract(`media`, '$.platform_media_id'), json_extract(`media`, '$.sha256'),
		CASE json_extract(`media`, '$.state') WHEN 'failed' THEN '{"code":"media_unavailable","message":"The platform could not deliver the file."}' END, `created_at_ms`, `created_at_ms`
	FROM `messages` WHERE `media` IS NOT NULL AND `type` IN ('image', 'video', 'audio', 'document', 'sticker');--> statement-breakpoint
UPDATE `messages` SET `media_id` = `id` WHERE `media` IS NOT NULL AND `type` IN ('image', 'video', 'audio', 'document', 'sticker');--> statement-breakpoint
ALTER TABLE `messages` DROP COLUMN `media`;
