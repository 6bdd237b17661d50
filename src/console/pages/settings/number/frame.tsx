import { Link, useLocation, useParams } from '@tanstack/react-router'
import { useEffect, useRef, type ReactNode } from 'react'

import type { Account } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Guarded, Loaded } from '../../../parts/loaded'
import { Page } from '../../../parts/page'
import { t } from '../../../texts/texts'
import { numberOf } from './number-of'

/** The parts of a number's screen, in their order, and their addresses. */
const TABS = {
  overview: '/settings/numbers/$numberId',
  profile: '/settings/numbers/$numberId/profile',
  calling: '/settings/numbers/$numberId/calling',
  'entry-points': '/settings/numbers/$numberId/entry-points',
  connection: '/settings/numbers/$numberId/connection',
} as const
type Tab = keyof typeof TABS

/** What every part of a number's screen has: its heading and the way to the other parts. */
export interface Frame {
  title: string
  hint: string
  tabs: ReactNode
}

/** The overview's address is how those of the others begin. */
const EXACT = { exact: true, includeSearch: false }

function Tabs({ numberId }: { numberId: string }) {
  const { pathname } = useLocation()
  const tabs = useRef<HTMLElement>(null)
  useEffect(() => {
    // on phones the tabs are longer than the page is wide
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname])
  return (
    <nav ref={tabs} className="tabs" aria-label={t('number.tabs')}>
      {(Object.keys(TABS) as Tab[]).map((one) => (
        <Link key={one} to={TABS[one]} params={{ numberId }} search={{}} activeOptions={EXACT}>
          {t(`number.tab.${one}`)}
        </Link>
      ))}
    </nav>
  )
}

/** The number that the address names. */
const useNumberId = (): string => useParams({ strict: false }).numberId ?? ''

/** A part of a number's screen, once the number is loaded. */
export function NumberScreen({
  children,
}: {
  children: (account: Account, frame: Frame) => ReactNode
}) {
  const numberId = useNumberId()
  const mayRead = useCan('accounts:read')
  const result = useApi('GET /api/accounts/{id}', { params: { id: numberId } }, mayRead)
  const account = result.data
  if (account)
    return children(account, {
      title: account.name,
      hint: numberOf(account),
      tabs: <Tabs numberId={numberId} />,
    })
  return (
    <Page title={t('settings.numbers.title')}>
      <Guarded needs="accounts:read">
        <Loaded result={result}>{() => null}</Loaded>
      </Guarded>
    </Page>
  )
}
