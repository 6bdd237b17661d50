import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { startReceiver } from '../simulator/pair'
import { startSimulator } from '../simulator/platform'
import { exec } from './exec'

const PROGRAM = 'every_kind.py'

/**
 * Whether the simulator takes everything that pywa sends, a Python client that is used with the real
 * platform; its line is printed.
 */
export async function tryPywa(root: string): Promise<boolean> {
  const name = 'pywa 4.5.0 against the simulator'
  if (Bun.which('python3') === null) {
    console.log(`- ${name}: skipped, python3 not installed`)
    return true
  }
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
    console.log(`✓ ${name}: ${told.trim()}`)
    return true
  } catch (error) {
    console.log(`✗ ${name}: ${error instanceof Error ? error.message : String(error)}`)
    return false
  } finally {
    await simulator.stop()
    await receiver.stop()
  }
}
