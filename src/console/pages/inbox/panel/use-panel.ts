import { useEffect, useState } from 'react'

/** Where the contact has a place beside the thread. Elsewhere it covers the thread. */
const WIDE = '(width >= 75rem)'

const isWanted = (isWide: boolean): boolean => isWide && localStorage.getItem('panel') !== 'closed'

/** Whether the contact is shown beside a conversation when it is opened. */
export const isPanelWanted = (): boolean => isWanted(matchMedia(WIDE).matches)

/** Whether the contact is shown beside the open conversation. */
export interface PanelState {
  isOpen: boolean
  /** Whether somebody just showed or hid it. */
  isToggled: boolean
  toggle: () => void
}

/**
 * Returns whether the contact is shown: beside the thread as last time on this device; where it would
 * cover the thread only when it is asked for.
 */
export function usePanel(): PanelState {
  const [isOpen, setOpen] = useState(isPanelWanted)
  const [isToggled, setToggled] = useState(false)
  useEffect(() => {
    const wide = matchMedia(WIDE)
    const follow = ({ matches }: MediaQueryListEvent): void => {
      setOpen(isWanted(matches))
    }
    wide.addEventListener('change', follow)
    return () => {
      wide.removeEventListener('change', follow)
    }
  }, [])
  return {
    isOpen,
    isToggled,
    toggle: () => {
      if (matchMedia(WIDE).matches) localStorage.setItem('panel', isOpen ? 'closed' : 'open')
      setToggled(true)
      setOpen(!isOpen)
    },
  }
}
