import type { ArchivePart } from './archive-format'

/**
 * Columns of the people whom rows refer to: members, and former members whose names rows still
 * show.
 *
 * - Former members have `is_member` 0 and no e-mail, secrets or settings, only their ID and name.
 * - `is_home` tells whether the organization manages the account of the person.
 * - `password_hash` (Argon2id in PHC form) and `totp_secret` are secrets. If an admin made the
 *   archive, they travel only for people whose account the organization manages and who are no super
 *   admins: an admin could otherwise guess passwords that are valid elsewhere. If a super admin or the
 *   operator made it, they travel for all members. `has_totp` tells whether the person has a second factor, so that a reader
 *   does not let anybody sign in without it.
 * - Super admins arrive as normal users.
 * - `ui` is that of people who belong to no other organization: a client may keep in it what they do there.
 */
export const USER_COLUMNS = [
  { name: 'id', type: 'id' },
  { name: 'email', type: 'text' },
  { name: 'full_name', type: 'text' },
  { name: 'is_member', type: 'integer' },
  { name: 'is_home', type: 'integer' },
  { name: 'is_disabled', type: 'integer' },
  { name: 'must_change_password', type: 'integer' },
  { name: 'password_hash', type: 'secret' },
  { name: 'has_totp', type: 'integer' },
  { name: 'totp_secret', type: 'secret' },
  { name: 'email_notifications', type: 'integer' },
  { name: 'new_message_alerts', type: 'integer' },
  { name: 'campaign_updates', type: 'integer' },
  { name: 'language', type: 'text' },
  { name: 'ui', type: 'text' },
  { name: 'created_at_ms', type: 'integer' },
  { name: 'updated_at_ms', type: 'integer' },
] as const satisfies ArchivePart['columns']

/** Columns that tell people apart. */
export const USER_KEY = ['id']
