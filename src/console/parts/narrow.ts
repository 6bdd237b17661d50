import { useSyncExternalStore } from 'react'

/** Returns a hook that tells whether the page is as wide as a condition says. */
function mediaHook(condition: string): () => boolean {
  const media = matchMedia(condition)
  const subscribe = (listener: () => void): (() => void) => {
    media.addEventListener('change', listener)
    return () => {
      media.removeEventListener('change', listener)
    }
  }
  return () => useSyncExternalStore(subscribe, () => media.matches)
}

/** Whether the page is as narrow as on a phone. */
export const useIsNarrow = mediaHook('(width < 48rem)')

/** Whether the page has room for a column beside list, conversation and contact. */
export const useIsWide = mediaHook('(width >= 75rem)')
