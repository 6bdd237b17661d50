import type { Graph } from './graph'

/** The total length of the stored graphs that are kept parsed, in characters. */
const MAX_CHARACTERS = 16_000_000

interface KeptGraph {
  graph: Graph
  characters: number
}

/** Cache of the parsed graphs of published versions, which never change. */
export class GraphCache {
  /** The least recently used first. */
  private readonly kept = new Map<string, KeptGraph>()
  private characters = 0

  /** Returns the graph of a version, which must not be changed. `read` returns it as stored. */
  get(key: string, read: () => string | null): Graph | null {
    const known = this.kept.get(key)
    if (known) {
      this.kept.delete(key)
      this.kept.set(key, known)
      return known.graph
    }
    const stored = read()
    return stored === null ? null : this.add(key, stored)
  }

  private add(key: string, stored: string): Graph {
    const graph = JSON.parse(stored) as Graph
    this.kept.set(key, { graph, characters: stored.length })
    this.characters += stored.length
    for (const [oldest, { characters }] of this.kept) {
      if (this.characters <= MAX_CHARACTERS || oldest === key) break
      this.kept.delete(oldest)
      this.characters -= characters
    }
    return graph
  }
}

declare module '../../../../infra/ctx' {
  interface Deps {
    /** Cache of the graphs of bot flows. */
    botGraphs: GraphCache
  }
}
