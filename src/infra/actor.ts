/** The caller in an organization: a signed-in user, an API key, or the program itself. */
export interface Actor {
  type: 'user' | 'api_key' | 'system'
  organizationId: string
  userId: string | null
  userName: string | null
  sessionId: string | null
  apiKeyId: string | null
  isSuperAdmin: boolean
  /** Whether phone numbers are masked for this reader whatever its permissions. */
  hidesNumbers?: boolean
  /** `resource:action` pairs of the caller's role, read for this request. */
  permissions: ReadonlySet<string>
  /** When the erasure of the caller's organization begins, if it is being deleted. */
  organizationDeletesAtMs?: number | null
  /** Whether nothing can be written because the organization is copied to another server. */
  isOrganizationMoving?: boolean
  /** When the access token was issued, Unix seconds. */
  issuedAtS?: number
  /** The refresh token issued together with the access token. */
  refreshTokenId?: string | undefined
  /** When the credential expires, in epoch milliseconds; `null` for the program itself. */
  expiresAtMs: number | null
}
