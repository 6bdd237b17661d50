import { useQueryClient, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'

import { changeData } from './change-data'
import {
  isBeside,
  missingIn,
  putPage,
  stepTo,
  type PageOfRows,
  type RowPages,
  type Step,
  type View,
} from './row-window'

/** Rows before and after those in view that are loaded, too. */
const AROUND = 60
/** Pages that are asked for at the same time. */
const AT_ONCE = 2
/** Time for which a page far away must be in view: dragging the bar passes many, milliseconds. */
const REST_MS = 120

/** How the pages of a list are loaded. */
interface Options {
  queryKey: QueryKey
  limit: number
  load: (queryKey: QueryKey, step: Step & { signal?: AbortSignal }) => Promise<PageOfRows>
}

/** Loads those pages of a list that are looked at, and drops those far away. */
class RowPagesLoader {
  /** Rows whose pages stay. */
  pinned: ReadonlySet<string> = new Set()
  private view: View = { first: 0, last: 0 }
  private readonly loading = new Set<number>()
  private rest: ReturnType<typeof setTimeout> | null = null
  private isStopped = false

  constructor(
    private readonly client: QueryClient,
    private readonly options: Options,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Loads the beginning, and what is in view now. */
  readonly loadShown = async (signal: AbortSignal): Promise<RowPages> => {
    const { queryKey, limit, load } = this.options
    let pages: RowPages = { pages: [await load(queryKey, { signal })], pageParams: [0] }
    for (const number of missingIn(pages, this.view, limit)) {
      const page = await load(queryKey, { ...stepTo(pages, number), signal })
      pages = putPage(pages, { page, number }, this.kept())
    }
    return pages
  }

  /** Loads what is missing around the rows in view. */
  show(pages: RowPages, view: View): void {
    this.view = view
    this.loadMissing(pages)
  }

  /** Goes on after an error. */
  resume(): void {
    this.isStopped = false
  }

  /** Loads nothing more. */
  stop(): void {
    this.isStopped = true
    if (this.rest !== null) clearTimeout(this.rest)
  }

  private kept() {
    return { view: this.view, limit: this.options.limit, pinned: this.pinned }
  }

  private loadMissing(pages: RowPages): void {
    if (this.rest !== null) clearTimeout(this.rest)
    this.rest = null
    if (this.isStopped) return
    const { first, last } = this.view
    const around = { first: first - AROUND, last: last + AROUND }
    const missing = missingIn(pages, around, this.options.limit)
    for (const number of missing.filter((one) => isBeside(pages, one))) this.load(pages, number)
    const far = missing.filter((one) => !isBeside(pages, one))
    if (far.length === 0) return
    this.rest = setTimeout(() => {
      for (const number of far) this.load(pages, number)
    }, REST_MS)
  }

  private load(pages: RowPages, number: number): void {
    if (this.loading.has(number) || this.loading.size >= AT_ONCE) return
    this.loading.add(number)
    const { queryKey, load } = this.options
    this.client
      // a query, so that events that come meanwhile are applied to the answer too
      .fetchQuery({
        queryKey: ['part', ...queryKey, number],
        queryFn: async ({ signal }) => {
          const page = await load(queryKey, { ...stepTo(pages, number), signal })
          changeData<RowPages>(this.client, queryKey, (now) =>
            putPage(now, { page, number }, this.kept()),
          )
          return null
        },
        staleTime: 0,
        gcTime: 0,
      })
      .catch((error: unknown) => {
        this.stop()
        this.onError(error)
      })
      .finally(() => {
        this.loading.delete(number)
        const now = this.client.getQueryData<RowPages>(queryKey)
        if (now) this.loadMissing(now)
      })
  }
}

/** Returns what loads the pages of a list, and why a page could not be loaded. */
export function useRowPages(
  key: string,
  options: Options,
): { loader: RowPagesLoader; error: unknown; retry: () => void } {
  const client = useQueryClient()
  const [failed, setFailed] = useState<{ key: string; error: unknown } | null>(null)
  const loader = useMemo(
    () =>
      new RowPagesLoader(client, options, (error) => {
        setFailed({ key, error })
      }),
    // the key stands for what the options say
    [client, key],
  )
  useEffect(() => {
    loader.resume()
    return () => {
      loader.stop()
    }
  }, [loader])
  return {
    loader,
    error: failed?.key === key ? failed.error : null,
    retry: () => {
      setFailed(null)
      loader.resume()
    },
  }
}
