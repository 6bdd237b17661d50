import type { BusinessNumber } from '../../src/simulator/payloads'
import type { Loose } from './client'
import { lineOf } from './lines'
import type { World } from './world'

/** The platform's ID of the second number. */
export const SECOND_PHONE_ID = '301000000000009'

/** A second number of a world's first tenant, as webhooks name it. */
export interface SecondNumber extends BusinessNumber {
  accountId: string
}

/** Connects a second number to the world's first tenant. */
export async function secondNumber(world: World, more: Loose = {}): Promise<SecondNumber> {
  const { wabaId, token } = world.tenant
  world.simulator.addPhone({
    id: SECOND_PHONE_ID,
    wabaId,
    token,
    displayPhoneNumber: '+1 555-010-0009',
    verifiedName: 'Second',
  })
  const admin = await world.as('admin')
  const { status, data } = await admin.post('/api/accounts', {
    name: 'Second',
    phone_id: SECOND_PHONE_ID,
    business_id: wabaId,
    access_token: token,
    ...more,
  })
  if (status !== 201) throw new Error(`the second number was answered ${status}`)
  return {
    ...lineOf(world.tenant),
    phoneNumberId: SECOND_PHONE_ID,
    displayPhoneNumber: '15550100009',
    accountId: String(data['id']),
  }
}
