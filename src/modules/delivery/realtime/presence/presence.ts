import { SECOND_MS, type Clock } from '../../../../lib/clock'

/** What a user does in a conversation. */
export const DOINGS = ['viewing', 'typing', 'gone'] as const
export type Doing = (typeof DOINGS)[number]

/** A user who is in a conversation. */
export interface PresentUser {
  id: string
  full_name: string
  doing: 'viewing' | 'typing'
}

/** Where somebody is: a conversation of an organization. */
export interface Place {
  organizationId: string
  conversationId: string
  contactId: string
}

/** What one socket says of its user. */
interface Mark {
  userId: string
  userName: string
  doing: 'viewing' | 'typing'
  untilMs: number
}

interface Room extends Place {
  /** By socket. */
  marks: Map<string, Mark>
  publishedAtMs: number
  /** Whether something changed that was not published yet. */
  isDue: boolean
}

/** How long a socket's word counts without being repeated. */
const LAPSES_MS = 30 * SECOND_MS

/** Minimum time between two frames of one conversation. */
const INTERVAL_MS = SECOND_MS

/**
 * Who looks at which conversation, from what open sockets say. Kept in memory: after a restart the
 * sockets say it again.
 */
export class Presence {
  private readonly rooms = new Map<string, Room>()
  /** The conversations in which a socket is, by socket. */
  private readonly bySocket = new Map<string, Set<string>>()

  constructor(
    private readonly clock: Clock,
    private readonly publish: (place: Place, users: PresentUser[]) => void,
  ) {}

  /** Records what the user of a socket does in a conversation. */
  set(
    place: Place,
    by: { socketId: string; userId: string; userName: string; doing: Doing },
  ): void {
    const room = this.roomOf(place)
    if (by.doing === 'gone') room.marks.delete(by.socketId)
    else
      room.marks.set(by.socketId, {
        userId: by.userId,
        userName: by.userName,
        doing: by.doing,
        untilMs: this.clock.nowMs() + LAPSES_MS,
      })
    const places = this.bySocket.get(by.socketId) ?? new Set()
    this.bySocket.set(by.socketId, places)
    if (by.doing === 'gone') places.delete(keyOf(place))
    else places.add(keyOf(place))
    this.changed(room)
  }

  /** Ends what a closed socket said. */
  leave(socketId: string): void {
    for (const key of this.bySocket.get(socketId) ?? []) {
      const room = this.rooms.get(key)
      if (room?.marks.delete(socketId) === true) this.changed(room)
    }
    this.bySocket.delete(socketId)
  }

  /** Returns the conversations of an organization in which somebody is. */
  of(organizationId: string): (Place & { users: PresentUser[] })[] {
    return [...this.rooms.values()]
      .filter((room) => room.organizationId === organizationId)
      .map((room) => ({ ...room, users: usersIn(room, this.clock.nowMs()) }))
      .filter(({ users }) => users.length > 0)
  }

  /** Publishes what is due: words that lapsed, and changes that waited. Runs every second. */
  sweep(): void {
    const nowMs = this.clock.nowMs()
    for (const [key, room] of this.rooms) {
      for (const [socketId, mark] of room.marks)
        if (mark.untilMs <= nowMs) {
          room.marks.delete(socketId)
          this.bySocket.get(socketId)?.delete(key)
          room.isDue = true
        }
      if (room.isDue) this.publishIfDue(room)
      if (room.marks.size === 0 && !room.isDue) this.rooms.delete(key)
    }
  }

  private roomOf(place: Place): Room {
    const known = this.rooms.get(keyOf(place))
    if (known) return known
    const room = { ...place, marks: new Map<string, Mark>(), publishedAtMs: 0, isDue: false }
    this.rooms.set(keyOf(place), room)
    return room
  }

  private changed(room: Room): void {
    room.isDue = true
    this.publishIfDue(room)
  }

  private publishIfDue(room: Room): void {
    const nowMs = this.clock.nowMs()
    const sinceMs = nowMs - room.publishedAtMs
    if (sinceMs >= 0 && sinceMs < INTERVAL_MS) return
    room.isDue = false
    room.publishedAtMs = nowMs
    this.publish(room, usersIn(room, nowMs))
  }
}

const keyOf = ({ organizationId, conversationId }: Place): string =>
  `${organizationId} ${conversationId}`

/** Returns each user once, by name. Typing in one window counts more than viewing in another. */
function usersIn(room: Room, nowMs: number): PresentUser[] {
  const users = new Map<string, PresentUser>()
  for (const { userId, userName, doing, untilMs } of room.marks.values())
    if (untilMs > nowMs && users.get(userId)?.doing !== 'typing')
      users.set(userId, { id: userId, full_name: userName, doing })
  return [...users.values()].toSorted((a, b) => (a.full_name < b.full_name ? -1 : 1))
}
