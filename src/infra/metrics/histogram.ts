/** How long something took, counted by upper bounds. */
export class Distribution {
  readonly counts: number[]
  count = 0
  sum = 0

  constructor(private readonly bounds: readonly number[]) {
    this.counts = bounds.map(() => 0)
  }

  /** Counts one that took so many seconds. */
  observe(seconds: number): void {
    this.count += 1
    this.sum += seconds
    for (let at = 0; at < this.bounds.length; at += 1)
      if (seconds <= (this.bounds[at] ?? Infinity)) {
        this.counts[at] = (this.counts[at] ?? 0) + 1
        return
      }
  }
}

/** What is told of a histogram, and the upper bounds of its buckets in seconds, ascending. */
interface Facts<L extends string> {
  name: string
  help: string
  bounds: readonly number[]
  labels: readonly L[]
}

/** A line of the exposition. */
interface Value {
  labels: Record<string, string | number>
  value: number
  metricName: string
}

/**
 * A histogram for hot paths: an observation is an addition, a tenth of what prom-client's own takes
 * with labels. It is handed to prom-client's registry as any metric is, which writes it out.
 */
export class Histogram<L extends string = never> {
  readonly name: string
  readonly help: string
  readonly type = 'histogram' as const
  readonly aggregator = 'sum' as const
  private readonly byLabels = new Map<string, { labels: readonly string[]; times: Distribution }>()

  constructor(private readonly facts: Facts<L>) {
    this.name = facts.name
    this.help = facts.help
    if (facts.labels.length === 0) this.of()
  }

  /** The distribution of these values of its labels, in their order. */
  of(...values: readonly string[]): Distribution {
    const key = values.join('\n')
    let known = this.byLabels.get(key)
    if (!known) {
      known = { labels: values, times: new Distribution(this.facts.bounds) }
      this.byLabels.set(key, known)
    }
    return known.times
  }

  /** The labels seen so far with how many were observed. */
  totals(): { labels: Record<L, string>; count: number }[] {
    return [...this.byLabels.values()].map(({ labels, times }) => ({
      labels: this.named(labels),
      count: times.count,
    }))
  }

  private named(values: readonly string[]): Record<L, string> {
    return Object.fromEntries(
      this.facts.labels.map((label, at) => [label, values[at] ?? '']),
    ) as Record<L, string> // one value per label
  }

  /** What the registry asks for when metrics are read. */
  get(): Promise<object> {
    return Promise.resolve({
      name: this.name,
      help: this.help,
      type: this.type,
      aggregator: this.aggregator,
      values: [...this.byLabels.values()].flatMap((one) => this.linesOf(one)),
    })
  }

  /** The registry empties a metric by this. */
  reset(): void {
    this.byLabels.clear()
    if (this.facts.labels.length === 0) this.of()
  }

  private linesOf({
    labels: values,
    times,
  }: {
    labels: readonly string[]
    times: Distribution
  }): Value[] {
    const labels = this.named(values)
    let upTo = 0
    const buckets = this.facts.bounds.map((le, at) => ({
      labels: { le, ...labels },
      value: (upTo += times.counts[at] ?? 0),
      metricName: `${this.name}_bucket`,
    }))
    return [
      ...buckets,
      { labels: { le: '+Inf', ...labels }, value: times.count, metricName: `${this.name}_bucket` },
      { labels, value: times.sum, metricName: `${this.name}_sum` },
      { labels, value: times.count, metricName: `${this.name}_count` },
    ]
  }
}
