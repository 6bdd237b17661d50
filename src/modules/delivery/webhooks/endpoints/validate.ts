import {
  fieldSentence,
  ForbiddenError,
  InvalidError,
  type FieldProblem,
} from '../../../../lib/errors'
import { isSameOrigin, MOVED_HEADER } from '../../../../lib/outgoing-headers'
import { type Ctx } from '../../../../infra/ctx'
import type { Permission } from '../../../../infra/permissions'
import { lackOf } from '../../../../infra/require-permissions'
import { findAccount } from '../../../channel/accounts/queries'
import { HIDDEN } from '../../../organization/audit/record'
import { masksNumbers } from '../../../inbox/contacts/sight/visibility'
import { isEventPattern, permissionsFor } from '../../realtime/webhook-events'
import type { EndpointChanges } from '../model'
import type { EndpointRow } from '../row'
import { headerProblem, isSigningSecret } from '../rules'
import { customHeaders } from '../secrets'
import { accountsOf } from '../view'

/** Custom headers of an endpoint. */
const MAX_HEADERS = 20

const refused = (path: string, message: string, code = 'invalid_input'): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code,
    errors: [{ path, message }],
  })

/** Throws InvalidError `url_refused` for a URL that this server does not call. */
export function requireAllowedUrl(ctx: Ctx, url: string): void {
  const { fetchGuarded } = ctx
  const reason =
    fetchGuarded.refusalOf(url) ??
    (/^https:/i.test(url) || fetchGuarded.allowsPlain(url)
      ? null
      : 'does not begin with https://') ??
    (url.includes('#') ? 'has a fragment' : null)
  if (reason !== null) throw refused('body.url', `is not allowed: it ${reason}`, 'url_refused')
}

/** Throws InvalidError for a text that chooses no event. */
export function requireEvents(events: string[]): void {
  const errors: FieldProblem[] = events.flatMap((event, index) =>
    isEventPattern(event)
      ? []
      : [{ path: `body.events[${index}]`, message: 'is not an event type' }],
  )
  if (errors.length > 0)
    throw new InvalidError(
      '`events` contains unknown event types. `GET /api/webhooks/events` lists them.',
      { code: 'invalid_input', errors },
    )
}

/**
 * Requires the permissions to choose events: those of their areas and `contacts:read_all`. Throws
 * ForbiddenError `escalation`.
 */
export function requireMaySee(ctx: Ctx, events: string[]): void {
  const needed: Permission[] = ['contacts:read_all', ...permissionsFor(events)]
  const lack = lackOf(ctx.actor, needed)
  if (lack !== null) throw new ForbiddenError(lack, { code: 'escalation' })
}

/** Throws InvalidError `bad_reference` for an unknown phone number that is not chosen yet. */
export function requireAccounts(ctx: Ctx, ids: string[], before: EndpointRow | null): void {
  const known = new Set(before ? accountsOf(before) : [])
  for (const [index, id] of ids.entries()) {
    const account = known.has(id) ? true : findAccount(ctx, id)?.deletedAtMs === null
    if (!account)
      throw refused(`body.account_ids[${index}]`, 'is not a phone number', 'bad_reference')
  }
}

/** Throws InvalidError for a text that is no signing secret. */
export function requireSecret(secret: string | undefined): void {
  if (secret !== undefined && !isSigningSecret(secret))
    throw refused('body.secret', 'must be `whsec_` and the base64 form of 24 to 64 random bytes')
}

/** Stored headers of an endpoint, and whether a change gives it the address of another host. */
interface HeadersBefore {
  stored: Record<string, string>
  isMoved: boolean
}

/**
 * Requires that stored headers are sent to no other host than the one they were given for. Throws
 * InvalidError.
 */
export function requireHeadersStay(row: EndpointRow, url: string | undefined): void {
  if (url === undefined || row.headersSealed === null || isSameOrigin(row.url, url)) return
  throw refused('body.headers', MOVED_HEADER)
}

/** Returns the stored headers of an endpoint for a change of its URL. */
export const headersBefore = (
  ctx: Ctx,
  row: EndpointRow,
  url: string | undefined,
): HeadersBefore => ({
  stored: customHeaders(ctx, row),
  isMoved: url !== undefined && !isSameOrigin(row.url, url),
})

/**
 * Returns the custom headers; a value of `***` keeps the stored one while the URL leads to the same
 * host. Throws InvalidError with every invalid header.
 */
export function readHeaders(
  given: Record<string, unknown>,
  { stored, isMoved }: HeadersBefore,
): Record<string, string> {
  const errors: FieldProblem[] = []
  const seen = new Set<string>()
  const headers: Record<string, string> = {}
  const entries = Object.entries(given)
  if (entries.length > MAX_HEADERS)
    throw refused('body.headers', `must have at most ${MAX_HEADERS} headers`)
  for (const [name, written] of entries) {
    const value = written === HIDDEN ? stored[name] : written
    const isText = typeof value === 'string'
    const problem =
      (value === undefined ? 'has no stored value' : isText ? null : 'must be a text') ??
      (written === HIDDEN && isMoved ? MOVED_HEADER : null) ??
      headerProblem(name, String(value)) ??
      (seen.has(name.toLowerCase()) ? 'is repeated' : null)
    if (problem !== null) errors.push({ path: `body.headers.${name}`, message: problem })
    seen.add(name.toLowerCase())
    headers[name] = String(value)
  }
  if (errors.length > 0)
    throw new InvalidError('`headers` contains headers that cannot be sent.', {
      code: 'invalid_input',
      errors: errors.slice(0, 20),
    })
  return headers
}

/**
 * Returns whether events contain whole phone numbers. Throws ForbiddenError `escalation` if the
 * organization masks them for the caller.
 */
export function readNumbers(ctx: Ctx, { include_phone_numbers: wanted }: EndpointChanges): boolean {
  const isMasked = masksNumbers(ctx)
  if (wanted === true && isMasked)
    throw new ForbiddenError(
      'To send whole phone numbers you need the permission `contacts:unmask`.',
      { code: 'escalation' },
    )
  return wanted ?? !isMasked
}

/**
 * Throws ForbiddenError `escalation` if whole phone numbers would go to another URL although the
 * organization masks them for the caller.
 */
export function requireNumbersMayMove(
  ctx: Ctx,
  before: EndpointRow,
  { include_phone_numbers: wanted }: EndpointChanges,
): void {
  if (before.includePhoneNumbers && wanted !== false && masksNumbers(ctx))
    throw new ForbiddenError(
      'This endpoint sends whole phone numbers. To change its URL you need the permission ' +
        '`contacts:unmask`, or set `include_phone_numbers` to `false`.',
      { code: 'escalation' },
    )
}
