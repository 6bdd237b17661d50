import { ADMINS, APP_SECRET, Installation, signIn } from '../../chaos/installation'
import type { BusinessNumber } from '../../../src/simulator/payloads'
import { startSimulator } from '../../../src/simulator/platform'
import type { Client } from '../../support/client'
import type { ServerProcess } from '../../support/process'
import type { Load, Measured } from '../load'
import { postLoad } from '../processes'

const DRAIN_DEADLINE_MS = 600_000

const DRAIN_POLL_MS = 5

/** How many deliveries and changes are not processed yet; counted no further than is asked for. */
const waitingUpTo = (most: number): string =>
  `select count(*) as n from (select 1 from inbound_staging union all
     select 1 from inbound_events where state in ('pending', 'processing') limit ${most})`

/** The real server with one connected number, and what a figure needs to measure it. */
export interface Stage {
  installation: Installation
  server: ServerProcess
  admin: Client
  line: BusinessNumber
  /** Posts signed texts from a process of its own, to a server of ours or a yardstick. */
  post: (
    to: ServerProcess,
    load: Pick<Load, 'connections' | 'count' | 'perSecond'>,
  ) => Promise<Measured>
  /** Waits until every journaled change is processed into rows and events. */
  drained: () => Promise<void>
  /** Waits until fewer than so many deliveries wait to be processed. */
  waitingBelow: (most: number) => Promise<void>
}

/**
 * Starts the real server as it comes, from its sources unless another command is said, with one
 * number and without limits for its callers, lets `work` measure and takes it down.
 */
export async function onStage<T>(
  env: Record<string, string>,
  work: (stage: Stage) => Promise<T>,
  command?: string[],
): Promise<T> {
  await using simulator = await startSimulator({ phones: [], enforceWindow: false })
  const phone = simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
  const line: BusinessNumber = {
    phoneNumberId: phone.id,
    wabaId: phone.wabaId,
    displayPhoneNumber: '15550100001',
  }
  const installation = new Installation({ PLATFORM_BASE_URL: simulator.url, ...env }, command)
  try {
    await using server = await installation.start()
    const admin = await signIn(server.url, ADMINS[0])
    const account = {
      name: 'Main',
      phone_id: phone.id,
      business_id: phone.wabaId,
      access_token: phone.token,
    }
    const { status } = await admin.post('/api/accounts', account)
    if (status !== 201) throw new Error(`the number could not be connected: ${status}`)
    server.ignoreOutput()
    let runs = 0
    const result = await work({
      installation,
      server,
      admin,
      line,
      post: (to, load) =>
        postLoad({
          port: Number(new URL(to.url).port),
          secret: APP_SECRET,
          lines: [line],
          run: `run-${(runs += 1)}`,
          ...load,
        }),
      drained: () => waitingBelow(installation, 1),
      waitingBelow: (most) => waitingBelow(installation, most),
    })
    await server.stop()
    return result
  } finally {
    installation.remove()
  }
}

async function waitingBelow(installation: Installation, most: number): Promise<void> {
  const deadlineMs = performance.now() + DRAIN_DEADLINE_MS
  while (Number(installation.rows<{ n: number }>(waitingUpTo(most))[0]?.n) >= most) {
    if (performance.now() > deadlineMs) throw new Error('the journal was not processed in time')
    await Bun.sleep(DRAIN_POLL_MS)
  }
}
