import { InvalidError } from '../lib/errors'
import type { Ctx } from './ctx'

/** Returns why this server may not call a URL, such as `must begin with https://`; `null` if it may. */
export function urlProblem(
  { fetchGuarded }: Pick<Ctx, 'fetchGuarded'>,
  url: string,
): string | null {
  const isPlain = /^http:/i.test(url)
  const reason =
    fetchGuarded.refusalOf(url) ??
    (isPlain && !fetchGuarded.allowsPlain(url) ? 'must begin with https://' : null)
  if (reason === null) return null
  return reason.startsWith('must') ? reason : `is not allowed: it ${reason}`
}

/**
 * Requires that this server may call a URL: https to a public host, or what the operator allows
 * besides. Throws InvalidError `url_refused` with `path`.
 */
export function requireAllowedUrl(ctx: Pick<Ctx, 'fetchGuarded'>, path: string, url: string): void {
  const message = urlProblem(ctx, url)
  if (message === null) return
  throw new InvalidError(`${path}: ${message}.`, {
    code: 'url_refused',
    errors: [{ path, message }],
  })
}
