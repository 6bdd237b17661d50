/** What a trace of Chromium says: a task of a thread, or the name of a thread. Times in microseconds. */
interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  /** Processor time that the thread took for it. */
  tdur?: number
  args?: { name?: string }
}

/**
 * Returns the processor time of each task of the page in a trace, milliseconds: of the busiest main
 * thread of a page. Other programs on the same cores make a task last longer, but take none of it.
 */
export function processorTimes(trace: Uint8Array): number[] {
  const { traceEvents } = JSON.parse(new TextDecoder().decode(trace)) as {
    traceEvents: TraceEvent[]
  }
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`
  const threads = new Map<string, number[]>()
  for (const event of traceEvents)
    if (event.name === 'thread_name' && event.args?.name === 'CrRendererMain')
      threads.set(threadOf(event), [])
  for (const event of traceEvents)
    if (event.ph === 'X' && event.name.endsWith('RunTask') && event.tdur !== undefined)
      threads.get(threadOf(event))?.push(event.tdur / 1_000)
  const [busiest] = [...threads.values()].toSorted((a, b) => b.length - a.length)
  if (!busiest?.length) throw new Error('the trace has no task of a page')
  return busiest
}
