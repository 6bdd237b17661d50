import { InvalidError } from '../lib/errors'
import type { Ctx } from './ctx'

/**
 * Requires that this server may call a URL: https to a public host, or what the operator allows
 * besides. Throws InvalidError `url_refused` with `path`.
 */
export function requireAllowedUrl(
  { fetchGuarded }: Pick<Ctx, 'fetchGuarded'>,
  path: string,
  url: string,
): void {
  const isPlain = /^http:/i.test(url)
  const reason =
    fetchGuarded.refusalOf(url) ??
    (isPlain && !fetchGuarded.allowsPlain(url) ? 'must begin with https://' : null)
  if (reason === null) return
  const message = reason.startsWith('must') ? reason : `is not allowed: it ${reason}`
  throw new InvalidError(`${path}: ${message}.`, {
    code: 'url_refused',
    errors: [{ path, message }],
  })
}
