import type { Database } from 'bun:sqlite'

import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

type DrizzleTransaction = Parameters<Parameters<BunSQLiteDatabase['transaction']>[0]>[0]

/**
 * An open transaction, or a savepoint in it. Every query must end in `.run()`, `.get()` or
 * `.all()`.
 */
export type Tx = DrizzleTransaction & { readonly scope: TransactionScope }

/** The state of one transaction or savepoint. */
export class TransactionScope {
  /** Run as the last part of it, before the commit or the release. */
  readonly beforeCommit: (() => void)[] = []
  /** Run after the commit of the whole transaction. */
  readonly afterCommit: (() => void)[] = []
  /** Values of `TransactionLocal`. */
  readonly locals = new Map<object, unknown>()

  constructor(
    readonly sqlite: Database,
    private readonly parent: TransactionScope | null = null,
  ) {}

  /** The scope of the whole transaction. */
  get whole(): TransactionScope {
    return this.parent?.whole ?? this
  }
}

/** A value that each transaction or savepoint has for itself, created on first use. */
export class TransactionLocal<T> {
  constructor(private readonly create: (tx: Tx) => T) {}

  /** Returns the value of a transaction or savepoint. */
  of(tx: Tx): T {
    return this.in(tx.scope, tx)
  }

  /** The value of the whole transaction. */
  ofWhole(tx: Tx): T {
    return this.in(tx.scope.whole, tx)
  }

  /** Discards the value of `tx`; the next use creates a new one. */
  delete(tx: Tx): void {
    tx.scope.locals.delete(this)
  }

  private in({ locals }: TransactionScope, tx: Tx): T {
    if (!locals.has(this)) locals.set(this, this.create(tx))
    return locals.get(this) as T
  }
}
