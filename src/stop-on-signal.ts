/**
 * A signal repeated within this time counts once, because `bun run` passes on a signal that the
 * terminal has already sent to all processes. Milliseconds.
 */
const SAME_SIGNAL_MS = 500

/**
 * Ends the process on SIGTERM or Ctrl-C: after `stop` has finished, or immediately on a second
 * signal.
 */
export function stopOnSignal(stop: () => Promise<void>): void {
  let firstAtMs: number | null = null
  const onSignal = (): void => {
    if (firstAtMs !== null && performance.now() - firstAtMs > SAME_SIGNAL_MS) process.exit(1)
    if (firstAtMs !== null) return
    firstAtMs = performance.now()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.message : 'could not stop'}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
