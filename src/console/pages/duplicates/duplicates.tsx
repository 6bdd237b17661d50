import { useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'

import { call } from '../../api/client'
import type { Contact, Duplicate } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { invalidateSoon } from '../../live/refresh'
import { Button } from '../../parts/button'
import { ContactArea } from '../../parts/contact/area'
import { nameOf } from '../../parts/contact/name'
import { useShow } from '../../parts/list-page'
import { Guarded, Loaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { Empty } from '../../parts/state'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { Pair } from './pair'

const ROUTE = 'GET /api/contacts/duplicates'
/** What the screen needs. */
const NEEDS = ['contacts:read', 'contacts:update'] as const
/** Pairs that are loaded at once. */
const AT_ONCE = 20

/** Contacts that may be the same person: a pair at a time, to be merged or passed over. */
export function Duplicates() {
  const { pair = 1 } = useSearch({ from: '/contacts/duplicates' })
  const query = { page: Math.ceil(pair / AT_ONCE), limit: AT_ONCE }
  const result = useApi(ROUTE, { query }, useCan(...NEEDS))
  return (
    <ContactArea>
      <Page title={t('records.duplicates.title')} hint={t('records.duplicates.hint')} isWide>
        <Guarded needs={NEEDS}>
          <Loaded result={result}>
            {({ items, total }) => {
              const shown = items[(pair - 1) % AT_ONCE] ?? items.at(-1)
              return shown === undefined ? (
                <Empty
                  icon="check"
                  title={t('records.duplicates.empty')}
                  hint={t('records.duplicates.empty-hint')}
                />
              ) : (
                <Shown shown={shown} at={Math.min(pair, total ?? pair)} total={total ?? 0} />
              )
            }}
          </Loaded>
        </Guarded>
      </Page>
    </ContactArea>
  )
}

interface Props {
  shown: Duplicate
  at: number
  total: number
}

/** A pair, and the way to the ones beside it. */
function Shown({ shown, at, total }: Props) {
  const client = useQueryClient()
  const show = useShow<{ pair?: number | undefined }>()
  const go = (to: number): void => {
    show({ pair: to === 1 ? undefined : to })
  }
  const refresh = (): void => {
    invalidateSoon(client, ROUTE)
  }
  /** Moves everything of one contact to the other one. */
  const merge = (kept: Contact, other: Contact): void => {
    call('POST /api/contacts/{id}/merge', {
      params: { id: kept.id },
      body: { source_id: other.id },
    })
      .then(({ merge_id: id }) => {
        refresh()
        notify(t('records.duplicates.merged', { name: nameOf(kept) }), () => {
          call('POST /api/contacts/merges/{id}/undo', { params: { id } })
            .then(refresh)
            .catch(report)
        })
      })
      .catch(report)
  }
  return (
    <>
      <Pair pair={shown} onKeep={merge} />
      <nav className="actions pair-nav" aria-label={t('records.duplicates.pairs')}>
        <span className="grow muted" role="status">
          {t('records.duplicates.position', { at, total })}
        </span>
        <Button
          isDisabled={at <= 1}
          onPress={() => {
            go(at - 1)
          }}
        >
          {t('records.duplicates.previous')}
        </Button>
        <Button
          isDisabled={at >= total}
          onPress={() => {
            go(at + 1)
          }}
        >
          {t('records.duplicates.next')}
        </Button>
      </nav>
    </>
  )
}
