import { useSyncExternalStore } from 'react'

import { currentSession, onSession, type Session } from '../api/session'
import { can, type Me, type PermissionKey } from '../api/shapes'
import { currentPreferences, onPreferences, type Preferences } from './preferences'

/** Returns the current session. */
export const useSession = (): Session => useSyncExternalStore(onSession, currentSession)

/** Returns the signed-in user. Throws on pages that are shown without a session. */
export function useMe(): Me {
  const session = useSession()
  if (session.phase !== 'signed-in') throw new Error('Nobody is signed in.')
  return session.me
}

/** Whether the signed-in user has all of these permissions. */
export const useCan = (...permissions: PermissionKey[]): boolean => can(useMe(), ...permissions)

/** Returns how this device shows the console. */
export const usePreferences = (): Preferences =>
  useSyncExternalStore(onPreferences, currentPreferences)
