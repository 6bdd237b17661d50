import { Link, useSearch } from '@tanstack/react-router'

import type { Duplicate } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { ContactArea } from '../../parts/contact/area'
import { useShow } from '../../parts/list-page'
import { Guarded, Loaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { Empty } from '../../parts/state'
import { t } from '../../texts/texts'
import { Pair } from './pair'
import { AT_ONCE, queryFor, ROUTE, useVerbs } from './verbs'

/** What the screen needs. */
const NEEDS = ['contacts:read', 'contacts:update'] as const

/** Contacts that may be the same person: a pair at a time, to be merged, told apart or passed over. */
export function Duplicates() {
  const { pair = 1, apart: isApart = false } = useSearch({ from: '/contacts/duplicates' })
  const result = useApi(ROUTE, { query: queryFor(pair, isApart) }, useCan(...NEEDS))
  return (
    <ContactArea>
      <Page
        title={t('records.duplicates.title')}
        hint={t('records.duplicates.hint')}
        tabs={<Tabs isApart={isApart} />}
        isWide
      >
        <Guarded needs={NEEDS}>
          <Loaded result={result}>
            {({ items, total }) => {
              const shown = items[(pair - 1) % AT_ONCE] ?? items.at(-1)
              return shown === undefined ? (
                <Empty
                  icon="check"
                  title={t(isApart ? 'records.duplicates.apart-empty' : 'records.duplicates.empty')}
                  hint={t(
                    isApart ? 'records.duplicates.apart-hint' : 'records.duplicates.empty-hint',
                  )}
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

/** Pairs that nobody has looked at yet, and those that were told apart. */
const Tabs = ({ isApart }: { isApart: boolean }) => (
  <nav className="tabs" aria-label={t('records.duplicates.pairs')}>
    {[false, true].map((one) => (
      <Link
        key={String(one)}
        to="/contacts/duplicates"
        activeOptions={{ exact: true }}
        search={one ? { apart: true } : {}}
        aria-current={one === isApart ? 'page' : undefined}
      >
        {t(one ? 'records.duplicates.apart' : 'records.duplicates.to-check')}
      </Link>
    ))}
  </nav>
)

interface Props {
  shown: Duplicate
  at: number
  total: number
}

/** A pair, what can be done with it, and the way to the ones beside it. */
function Shown({ shown, at, total }: Props) {
  const { apart: isApart = false } = useSearch({ from: '/contacts/duplicates' })
  const { merge, tellApart } = useVerbs()
  const show = useShow<{ pair?: number | undefined }>()
  const go = (to: number): void => {
    show({ pair: to === 1 ? undefined : to })
  }
  return (
    <>
      <Pair pair={shown} onKeep={merge} />
      <nav className="actions pair-nav" aria-label={t('records.duplicates.pairs')}>
        <span className="grow muted" role="status">
          {t('records.duplicates.position', { at, total })}
        </span>
        <Button
          onPress={() => {
            tellApart(shown, !isApart)
          }}
        >
          {t(isApart ? 'records.duplicates.check-again' : 'records.duplicates.apart')}
        </Button>
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
