import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { startReceiver } from '../simulator/pair'
import { startSimulator } from '../../src/simulator/platform'
import { exec } from './exec'

const PROGRAM = 'every_kind.py'

export const PYWA = 'pywa 4.5.0 against the simulator'

/**
 * Lets pywa, a Python client that is used with the real platform, send everything it can to the
 * simulator. Returns how many calls were taken; throws with the refusals.
 */
export async function runPywa(root: string): Promise<string> {
  const folder = join(root, 'pywa')
  mkdirSync(folder)
  const python = join(folder, 'venv', 'bin', 'python')
  const receiver = startReceiver()
  const simulator = await startSimulator({ callbackUrl: receiver.url, statuses: [] })
  try {
    await exec(folder, ['python3', '-m', 'venv', 'venv'])
    await exec(folder, [python, '-m', 'pip', 'install', '--quiet', 'pywa==4.5.0'])
    copyFileSync(join(import.meta.dir, PROGRAM), join(folder, PROGRAM))
    const customer = simulator.customer()
    const { id: wamid } = await customer.says('Hello')
    simulator.keepTemplate({ name: 'hello_world' })
    const { id, wabaId, token } = simulator.phone
    const told = await exec(folder, [python, PROGRAM], {
      PLATFORM: simulator.url,
      TO: customer.waId,
      WAMID: wamid,
      PHONE_ID: id,
      WABA_ID: wabaId,
      TOKEN: token,
    })
    if (simulator.unexpected.length > 0)
      throw new Error(`unknown paths: ${simulator.unexpected.map(({ path }) => path).join(', ')}`)
    return told.trim()
  } finally {
    await simulator.stop()
    await receiver.stop()
  }
}
