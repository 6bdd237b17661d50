const STEP_MS = 10 * 60_000

/** Runs a program in a folder. Returns its output; throws with it when the program fails. */
export async function exec(folder: string, command: string[], env: object = {}): Promise<string> {
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: STEP_MS,
  })
  const said = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0)
    throw new Error(`${command.join(' ')}\n${said.join('\n').slice(-4_000)}`)
  return said[0]
}
