/** Columns whose fields are not called like them. */
const NAMES: Record<string, string> = {
  blockedAtMs: 'blocked_at',
  platformBlockedAtMs: 'platform_blocked',
  firstSeenAtMs: 'first_seen_at',
}

/** What the API calls columns of a contact, for `changed` of its events. */
export const fieldNames = (columns: string[]): string[] =>
  columns.map(
    (column) => NAMES[column] ?? column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
