import type { Database } from 'bun:sqlite'

/** A text without words, or with a gap where a word was to be. */
const isBroken = (text: unknown): boolean =>
  typeof text !== 'string' ||
  !/\p{L}/u.test(text) ||
  /^\s|\s$|: \.?$|\bundefined\b|\[object /.test(text)

/** Throws if an error does not describe the problem in words, or leaves a field unnamed. */
export function requireWords(
  request: { method: string; path: string },
  body: { status: string; message?: unknown; code?: unknown; errors?: unknown },
): void {
  if (body.status !== 'error') return
  const errors = (body.errors ?? []) as { path: unknown; message: unknown }[]
  const broken =
    isBroken(body.message) ||
    isBroken(body.code) ||
    errors.some(({ path, message }) => isBroken(path) || isBroken(message))
  if (broken)
    throw new Error(
      `${request.method} ${request.path} is refused without words: ${JSON.stringify(body)}`,
    )
}

/** Throws if a log line, notification or audit log entry has no words. */
export function requireWordsLeft(logLines: string[], sqlite: Database): void {
  const mute =
    logLines.find((line) => line.includes('"msg":""')) ??
    sqlite
      .query<{ title: string; body: string }, []>('select title, body from notifications')
      .all()
      .find(({ title, body }) => isBroken(title) || isBroken(body)) ??
    sqlite
      .query<{ action: string; type: string; changes: string }, []>(
        'select action, resource_type as type, changes from audit_logs',
      )
      .all()
      .find(
        ({ action, type, changes }) =>
          isBroken(action) || isBroken(type) || changes.includes('"field":""'),
      )
  if (mute !== undefined) throw new Error(`left behind without words: ${JSON.stringify(mute)}`)
}
