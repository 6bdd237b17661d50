import {
  createElement,
  use,
  useEffect,
  useReducer,
  useRef,
  useState,
  type ComponentType,
} from 'react'

import { useLine } from '../live/line'
import { loadLateTexts, t } from '../texts/texts'
import { Button } from './button'
import { Empty, Problem } from './state'

/** Why code could not be loaded. */
interface Failure {
  error: unknown
  /** Whether the server answers, so that the code is gone: it was replaced by a newer one. */
  isGone: boolean
}

const isReachable = (): Promise<boolean> =>
  fetch('/health').then(
    ({ ok }) => ok,
    () => false,
  )

/** Whether the page was not loaded again for this yet. */
function isFirst(error: unknown): boolean {
  const key = `reloaded:${String(error)}`
  const isNew = sessionStorage.getItem(key) === null
  sessionStorage.setItem(key, '1')
  return isNew
}

interface NotLoadedProps {
  failure: Failure
  isPage: boolean
  onRetry: () => void
}

/**
 * Stands in the place of code that could not be loaded, and asks for it again when the line is back.
 * The page of a newer server needs to be loaded whole; a part of a page asks first, as its form would
 * be lost.
 */
function NotLoaded({ failure: { error, isGone }, isPage, onRetry }: NotLoadedProps) {
  const isLive = useLine().state === 'live'
  const isTried = useRef(false)
  const [reloads] = useState(() => isGone && isPage && isFirst(error))
  useEffect(() => {
    if (reloads) location.reload()
  }, [reloads])
  useEffect(() => {
    if (isLive && !isTried.current && !isGone) onRetry()
    isTried.current = isLive
  }, [isLive, isGone, onRetry])
  if (reloads) return null
  if (!isPage && !isGone) return <Problem error={null} onRetry={onRetry} />
  const problem = (
    <Empty
      isPage={isPage}
      icon="warning"
      title={isGone ? t('shell.error.title') : t('parts.error.offline')}
    >
      <Button
        look="primary"
        onPress={() => {
          if (isGone) location.reload()
          else onRetry()
        }}
      >
        {isGone ? t('shell.error.reload') : t('parts.action.retry')}
      </Button>
    </Empty>
  )
  if (!isPage) return problem
  return (
    <main id="content" className="centered">
      {problem}
    </main>
  )
}

function lateOf<P extends object>(load: () => Promise<ComponentType<P>>, isPage: boolean) {
  let loaded: ComponentType<P> | null = null
  let loading: Promise<void> | null = null
  let failure: Failure | null = null
  const take = async (): Promise<void> => {
    loaded = await load()
  }
  const begin = async (): Promise<void> => {
    try {
      await take()
    } catch (error) {
      failure = { error, isGone: false }
      if (await isReachable())
        await take().catch((again: unknown) => {
          failure = { error: again, isGone: true }
        })
    }
    if (loaded === null) loading = null
  }
  const preload = (): Promise<void> => {
    loading ??= begin()
    return loading
  }
  function Late(props: P) {
    const [, showAgain] = useReducer((count: number) => count + 1, 0)
    if (loaded === null && failure === null) use(preload())
    if (loaded !== null) return createElement(loaded, props)
    if (failure === null) return null
    return (
      <NotLoaded
        key={String(failure.error)}
        failure={failure}
        isPage={isPage}
        onRetry={() => {
          preload().then(showAgain, () => undefined)
        }}
      />
    )
  }
  return Object.assign(Late, { preload })
}

/** A part of a page whose code is loaded when it is shown first. */
export const late = <P extends object>(load: () => Promise<ComponentType<P>>) => lateOf(load, false)

/** A screen whose code is loaded when it is opened, with the texts that the first page does without. */
export const lateScreen = <T extends Record<string, unknown>, Name extends keyof T>(
  load: () => Promise<T>,
  name: Name,
) =>
  lateOf(async () => {
    const [code] = await Promise.all([load(), loadLateTexts()])
    return code[name] as ComponentType
  }, true)

/** The screen that is there first: it has its texts. */
export const firstScreen = <T extends Record<string, unknown>, Name extends keyof T>(
  load: () => Promise<T>,
  name: Name,
) => lateOf(async () => (await load())[name] as ComponentType, true)
