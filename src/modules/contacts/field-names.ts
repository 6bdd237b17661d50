/** Columns whose API field has another name. */
const NAMES: Record<string, string> = {
  blockedAtMs: 'blocked_at',
  platformBlockedAtMs: 'platform_blocked',
  firstSeenAtMs: 'first_seen_at',
}

/** Converts column names into API field names, for `changed` in events. */
export const fieldNames = (columns: string[]): string[] =>
  columns.map(
    (column) => NAMES[column] ?? column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
