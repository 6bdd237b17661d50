/**
 * What a version after a release stores otherwise on purpose, or not any more: a table or
 * `table.column`, and why. The tests of releases compare everything else.
 */
export const CHANGED: Record<string, string> = {}
