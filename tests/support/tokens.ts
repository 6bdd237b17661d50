import { SignJWT } from 'jose'

import { deriveKey } from '../../src/lib/secret'
import type { World } from './world'
import { PASSWORD, ROOT_KEY } from './world'

/** The claims of a token, which tests read and change. */
export interface Claims extends Record<string, unknown> {
  sub: string
  org: string
  sid: string
  jti: string
  typ: string
  iat: number
  exp: number
}

/** A token pair as the API returns it. */
export interface Pair {
  access_token: string
  refresh_token: string
  expires_in: number
}

/** Returns the claims of a token without verifying it. */
export const claimsOf = (token: string): Claims => partOf(token, 1) as Claims

/** Its header. */
export const headerOf = (token: string): Record<string, unknown> => partOf(token, 0)

const partOf = (token: string, index: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString('utf8')) as Record<
    string,
    unknown
  >

/** Signs arbitrary claims with the real key of the token's kind. */
export function forge(
  claims: Record<string, unknown>,
  options: { kind?: 'access' | 'refresh'; alg?: string; root?: Buffer } = {},
): Promise<string> {
  const { kind = 'access', alg = 'HS256', root = ROOT_KEY } = options
  return new SignJWT(claims)
    .setProtectedHeader({ alg, typ: 'JWT' })
    .sign(new Uint8Array(deriveKey(root, `${kind}-token`)))
}

/** A token that claims to need no signature. */
export const unsigned = (claims: Record<string, unknown>, signature = ''): string =>
  [JSON.stringify({ alg: 'none', typ: 'JWT' }), JSON.stringify(claims)]
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.') + `.${signature}`

/** Signs in and returns both tokens. */
export async function pairOf(
  world: World,
  email: string = world.emailOf('agent', world.tenant),
): Promise<Pair> {
  const { data } = await world.anyone.post<Pair>('/api/auth/login', { email, password: PASSWORD })
  return data
}

/** Returns the audit log entries of an organization for one action, oldest first. */
export const auditOf = (
  world: World,
  action: string,
  organizationId: string = world.tenant.id,
): AuditRow[] =>
  world.rows<AuditRow>(
    'select * from audit_logs where organization_id = ? and action = ? order by id',
    organizationId,
    action,
  )

interface AuditRow {
  action: string
  user_id: string | null
  resource_type: string
  resource_id: string | null
  changes: string
  ip_address: string | null
}
