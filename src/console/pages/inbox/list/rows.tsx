import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, type RefObject } from 'react'

import type { Conversation } from '../../../api/shapes'
import { useMe, usePreferences } from '../../../live/me'
import { RowCheckbox } from '../../../parts/choice'
import { useKeys } from '../../../parts/keys'
import { useLatest } from '../../../parts/use-latest'
import { useSteps } from '../../../parts/steps'
import { t } from '../../../texts/texts'
import { nameOf } from '../../../parts/contact/name'
import { Row } from './row'
import type { Selection } from '../../../parts/selection'

interface Props {
  items: Conversation[]
  chosen: string | null
  selection: Selection
  onOpen: (id: string) => void
  /** Called when the end of the list comes into view. */
  onEnd: () => void
  /** Where the conversation after one is asked for. */
  after: RefObject<FindNext>
}

/** Returns the conversation after one in the list, else the one before it, or `null`. */
export type FindNext = (id: string) => string | null

const ROW_PX = { comfortable: 68, compact: 52 }
/** Rows before the end at which more are loaded. */
const AHEAD = 10

/**
 * The keys that go through the list and select: letters from anywhere, others while the focus is on
 * a conversation of the list, where it stays.
 */
function useRowKeys(
  { items, chosen, selection, onOpen }: Omit<Props, 'onEnd' | 'after'>,
  box: RefObject<HTMLElement | null>,
  scrollTo: (index: number) => void,
): void {
  const ids = items.map(({ id }) => id)
  const indexAfter = useSteps(ids, chosen)
  const focusOn = useRef<string | null>(null)
  useEffect(() => {
    // a row that was out of view is drawn after the scrolling
    const link = box.current?.querySelector<HTMLElement>(`[data-id="${focusOn.current}"] a`)
    if (!link) return
    focusOn.current = null
    link.focus({ preventScroll: true })
  })
  const open = (index: number): string | null => {
    const id = ids[index]
    if (id === undefined) return null
    scrollTo(index)
    onOpen(id)
    return id
  }
  /** Does something while the focus is on a conversation, and keeps it on the one that is opened. */
  const inList = (work: () => unknown) => () => {
    const isHere =
      document.activeElement?.closest('a') && box.current?.contains(document.activeElement)
    if (!isHere) return false
    const opened = work()
    focusOn.current = typeof opened === 'string' ? opened : null
    return true
  }
  const toggle = (): void => {
    if (chosen !== null) selection.toggle(chosen)
  }
  const extend = (): void => {
    if (chosen !== null) selection.extendTo(chosen)
  }
  const extendBy = (by: 1 | -1) =>
    inList(() => {
      const from = chosen ?? undefined
      const id = open(indexAfter(by))
      if (id !== null) selection.extendTo(id, from)
      return id
    })
  useKeys({
    j: () => open(indexAfter(1)),
    k: () => open(indexAfter(-1)),
    x: toggle,
    'Shift+X': extend,
    ArrowDown: inList(() => open(indexAfter(1))),
    ArrowUp: inList(() => open(indexAfter(-1))),
    Home: inList(() => open(0)),
    End: inList(() => open(ids.length - 1)),
    ' ': inList(toggle),
    'Shift+ ': inList(extend),
    'Shift+ArrowDown': extendBy(1),
    'Shift+ArrowUp': extendBy(-1),
  })
}

/** The rows of the list. Only those in view are in the page. */
export function Rows({ items, chosen, selection, onOpen, onEnd, after }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const { density } = usePreferences()
  const me = useMe()
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX[density],
    overscan: 8,
    getItemKey: (index) => items[index]?.id ?? index,
  })
  useEffect(() => {
    rows.measure()
  }, [density, rows])
  const extendTo = useLatest(selection.extendTo)
  const toggle = useLatest(selection.toggle)
  const openRow = useLatest(onOpen)
  useEffect(() => {
    after.current = (id) => {
      const at = items.findIndex((one) => one.id === id)
      return at === -1 ? null : ((items[at + 1] ?? items[at - 1])?.id ?? null)
    }
    return () => {
      after.current = () => null
    }
  }, [items, after])
  const last = rows.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= items.length - AHEAD) onEnd()
  }, [last, items.length, onEnd])
  useRowKeys({ items, chosen, selection, onOpen }, box, (index) => {
    rows.scrollToIndex(index)
  })
  return (
    <div ref={box} className={selection.isOn ? 'rows selecting' : 'rows'}>
      <ul aria-label={t('inbox.list.title')} style={{ blockSize: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => {
          const item = items[row.index]
          return (
            item && (
              <li
                key={row.key}
                data-id={item.id}
                aria-setsize={items.length}
                aria-posinset={row.index + 1}
                style={{ transform: `translateY(${row.start}px)` }}
                data-selected={selection.ids.has(item.id) || undefined}
              >
                <Row
                  item={item}
                  owner={`${me.organization_id}/${me.id}`}
                  isChosen={item.id === chosen}
                  onOpen={openRow}
                  onExtend={extendTo}
                />
                {selection.isAllowed && (
                  <span className="row-check">
                    <RowCheckbox
                      id={item.id}
                      label={t('inbox.bulk.select', { name: nameOf(item.contact) })}
                      isSelected={selection.ids.has(item.id)}
                      onToggle={toggle}
                    />
                  </span>
                )}
              </li>
            )
          )
        })}
      </ul>
    </div>
  )
}
