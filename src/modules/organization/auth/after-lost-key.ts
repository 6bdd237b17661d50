import { asc } from 'drizzle-orm'

import { acrossOrganizations, systemCtx, type Deps } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { memberships } from '../memberships/table'
import { notifyIn } from '../notifications/service'
import { users } from '../users/table'
import { dropSecondFactorIn } from './second-factor'
import { endSessionsOfUserIn } from './sessions'
import { noticeText } from '../notifications/catalog'

/** What a lost key took of sign-ins. */
export interface LostSignIns {
  /** Email addresses of those whose second factor is off. */
  secondFactors: string[]
  sessions: number
}

/**
 * Ends all sessions and turns every second factor off, because the key that proves them was lost, in
 * the caller's transaction. Tells the people who had one. Passwords stay.
 */
export function forgetSignInsIn(tx: Tx, deps: Deps): LostSignIns {
  const people = tx
    .select({ id: users.id, email: users.email, totp: users.totpSealed })
    .from(users)
    .orderBy(asc(users.email))
    .all()
  const sessions = people
    .map(({ id }) => endSessionsOfUserIn(tx, deps, id, { reason: 'key_lost' }))
    .reduce((sum, ended) => sum + ended, 0)
  const secured = people.filter(({ totp }) => totp !== null)
  for (const { id } of people) dropSecondFactorIn(tx, deps, id)
  const places = new Map(
    tx
      .select({ userId: memberships.userId, organizationId: memberships.organizationId })
      .from(memberships)
      .where(acrossOrganizations('a person is told in any organization'))
      .all()
      .map(({ userId, organizationId }) => [userId, organizationId]),
  )
  for (const { id } of secured) {
    const place = places.get(id)
    if (place !== undefined)
      notifyIn(tx, systemCtx(deps, place), {
        userId: id,
        kind: 'credentials_changed',
        severity: 'warning',
        title: 'Two-factor authentication was disabled',
        text: noticeText('two_factor_lost'),
        body: 'The secret key of this server was lost. Set up two-factor authentication again.',
      })
  }
  return { secondFactors: secured.map(({ email }) => email), sessions }
}
