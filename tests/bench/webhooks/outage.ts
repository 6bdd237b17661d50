import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')

/** Runs the test of a receiver that is down for 48 hours with so many events. */
export async function benchOutage(events: number): Promise<string> {
  const child = Bun.spawn(
    [process.execPath, 'test', '--timeout', '3000000', 'tests/flows/webhook-outage.test.ts'],
    {
      cwd: ROOT,
      env: { ...process.env, OUTAGE_EVENTS: String(events) },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  const [said, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`the test failed:\n${errors}`)
  return /^outage: (.*)$/m.exec(`${said}\n${errors}`)?.[1] ?? 'no figure was printed'
}
