/** A validation error of a Flow JSON. */
export type FlowError = {
  error: string
  error_type: string
  message: string
  line_start: number
  line_end: number
  column_start: number
  column_end: number
  pointers: Record<string, unknown>[]
}

/** A Flow of the simulated platform. */
export type SimulatedFlow = {
  id: string
  wabaId: string
  name: string
  status: string
  categories: string[]
  json: string | undefined
  errors: FlowError[]
  endpointUri: string | undefined
  /** Number of preview renewals. */
  previews: number
  /** Times of messages sent while throttled, in Unix seconds. */
  sent: number[]
}

const MAX_FLOWS = 2_000

/** The Flows of the simulated platform. */
export class FlowStore {
  readonly #flows = new Map<string, SimulatedFlow>()
  #made = 0

  /** Adds a Flow. Defaults to a draft. */
  add(options: Partial<SimulatedFlow> & Pick<SimulatedFlow, 'wabaId' | 'name'>): SimulatedFlow {
    this.#made += 1
    if (this.#made > MAX_FLOWS) throw new Error(`More than ${MAX_FLOWS} flows were made`)
    const id = options.id ?? String(701_000_000_000_000 + this.#made)
    const flow = {
      status: 'DRAFT',
      categories: ['OTHER'],
      json: undefined,
      errors: [],
      endpointUri: undefined,
      previews: 0,
      sent: [],
      ...options,
      id,
    }
    this.#flows.set(id, flow)
    return flow
  }

  find(id: string): SimulatedFlow | undefined {
    return this.#flows.get(id)
  }

  delete(id: string): void {
    this.#flows.delete(id)
  }

  of(wabaId: string): SimulatedFlow[] {
    return [...this.#flows.values()].filter((flow) => flow.wabaId === wabaId)
  }
}
