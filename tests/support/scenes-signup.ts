import { SIMULATED_APP } from '../../src/simulator/administration'
import { SIGNUP_CONFIG } from '../../src/simulator/signup-dialog'
import type { Stage } from './scenes'
import type { World } from './world'

const APP = { APP_ID: SIMULATED_APP, SIGNUP_CONFIG_ID: SIGNUP_CONFIG }
const EMPTY = { wabaId: '202000000000001', token: 'token-of-an-empty-account' }

/** Settings of the routes of embedded signup. */
export const SIGNUP_SETTINGS: Record<string, Record<string, string>> = {
  'POST /api/accounts/exchange-token': APP,
  'POST /api/accounts/new-number': APP,
}

/** The number of the first tenant, which is not verified. */
async function unverified(world: World): Promise<Stage & { id: string }> {
  const id = String(world.tenant.accountId)
  world.simulator.addPhone({
    id: world.tenant.phoneId,
    status: 'PENDING',
    codeVerificationStatus: 'NOT_VERIFIED',
  })
  await (await world.as('admin')).post(`/api/accounts/${id}/test`)
  return { id }
}

/** What the examples of embedded signup and of verification need. */
export const SIGNUP_STAGES: Record<string, (world: World) => Promise<Stage>> = {
  'POST /api/accounts/exchange-token': async (world) => {
    await (await world.as('admin')).delete(`/api/accounts/${world.tenant.accountId}`)
    return { body: { code: world.simulator.issueCode(world.tenant.phoneId) } }
  },
  'POST /api/accounts/new-number': async (world) => {
    world.simulator.addBusiness(EMPTY)
    const { body } = await (
      await world.as('admin')
    ).post('/api/accounts/exchange-token', { code: world.simulator.issueCode(EMPTY.wabaId) })
    return {
      body: { signup_token: body.details?.['signup_token'], business_id: EMPTY.wabaId },
    }
  },
  'POST /api/accounts/:id/request-code': unverified,
  'POST /api/accounts/:id/verify-code': async (world) => {
    const stage = await unverified(world)
    await (await world.as('admin')).post(`/api/accounts/${stage.id}/request-code`)
    return stage
  },
}
