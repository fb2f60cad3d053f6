// Which of the keys that are ready is served next: the highest priority, then fairly between groups (namespaces), then
// first come first served. What has waited too long gets a guaranteed share of the turns, so that nothing starves,
// yet a flood of old low-priority keys never delays a fresh important one by more than a turn.

/** What is known of a key that is ready. */
export interface ReadyItem {
  readonly key: string;
  /** Served in turns with others of its priority. */
  readonly group: string;
  readonly priority: number;
  /** Monotonic milliseconds. */
  readonly readySince: number;
}

/** When waiting begins to count, and for how much. */
export interface AgeingOptions {
  /** Milliseconds after which a key is aged; default 5,000. */
  readonly after?: number;
  /** While aged keys are passed over, every `share`-th turn goes to the one that has waited longest; default 4. */
  readonly share?: number;
}

/** Options of {@link ReadyQueue}. */
export interface ReadyQueueOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly ageing: AgeingOptions;
}

interface Group<T> {
  readonly name: string;
  readonly items: LinkedQueue<T>;
}

/** The keys of one priority; the group at the front has the next turn. */
interface Bucket<T> {
  readonly priority: number;
  readonly turns: LinkedQueue<Group<T>>;
  readonly groups: Map<string, LinkedNode<Group<T>>>;
}

/** Where an item stands. */
interface Place<T> {
  readonly bucket: Bucket<T>;
  readonly group: Group<T>;
  readonly node: LinkedNode<T>;
  readonly age: LinkedNode<T>;
}

/** The keys that are ready, each once. */
export class ReadyQueue<T extends ReadyItem> {
  readonly #options: ReadyQueueOptions;
  readonly #after: number;
  readonly #share: number;
  readonly #buckets = new Map<number, Bucket<T>>();
  readonly #places = new Map<string, Place<T>>();
  /** All items in the order in which they became ready. */
  readonly #byAge = new LinkedQueue<T>();
  /** Turns in a row in which an aged item was passed over. */
  #passedOver = 0;

  constructor(options: ReadyQueueOptions) {
    this.#options = options;
    this.#after = options.ageing.after ?? 5_000;
    this.#share = options.ageing.share ?? 4;
  }

  get size(): number {
    return this.#places.size;
  }

  /** How many items each priority has; looks at all of them. */
  depths(): ReadonlyMap<number, number> {
    const depths = new Map<number, number>();
    for (let node = this.#byAge.first; node !== undefined; node = node.next) {
      const { priority } = node.value;
      depths.set(priority, (depths.get(priority) ?? 0) + 1);
    }
    return depths;
  }

  /** Appends an item whose key is not in the queue. */
  push(item: T): void {
    this.#place(item, this.#byAge.push(item));
  }

  /** Moves an item to its priority, after that was raised; its age is kept. */
  reorder(item: T): void {
    const place = this.#places.get(item.key);
    if (place === undefined) return;
    this.#leaveBucket(place);
    this.#place(item, place.age);
  }

  /** Takes the item whose turn it is. */
  pop(): T | undefined {
    const oldest = this.#byAge.first?.value;
    if (oldest === undefined) return undefined;
    const aged = this.#options.now() - oldest.readySince >= this.#after;
    const best = aged && this.#passedOver + 1 >= this.#share ? oldest : (this.#best() ?? oldest);
    this.#passedOver = aged && best !== oldest ? this.#passedOver + 1 : 0;
    const place = this.#places.get(best.key);
    if (place !== undefined) {
      this.#leaveBucket(place);
      this.#byAge.remove(place.age);
      this.#places.delete(best.key);
    }
    return best;
  }

  #best(): T | undefined {
    let highest: Bucket<T> | undefined;
    for (const bucket of this.#buckets.values()) {
      if (highest === undefined || bucket.priority > highest.priority) highest = bucket;
    }
    return highest?.turns.first?.value.items.first?.value;
  }

  #place(item: T, age: LinkedNode<T>): void {
    let bucket = this.#buckets.get(item.priority);
    if (bucket === undefined) {
      bucket = { priority: item.priority, turns: new LinkedQueue(), groups: new Map() };
      this.#buckets.set(item.priority, bucket);
    }
    const { group: name } = item;
    const group = bucket.groups.get(name)?.value ?? { name, items: new LinkedQueue<T>() };
    if (!bucket.groups.has(name)) bucket.groups.set(name, bucket.turns.push(group));
    this.#places.set(item.key, { bucket, group, node: group.items.push(item), age });
  }

  /** Takes an item out of its bucket; its group goes to the back of the turns. */
  #leaveBucket({ bucket, group, node }: Place<T>): void {
    group.items.remove(node);
    const turn = bucket.groups.get(group.name);
    if (turn !== undefined) bucket.turns.remove(turn);
    if (group.items.isEmpty) {
      bucket.groups.delete(group.name);
      if (bucket.groups.size === 0) this.#buckets.delete(bucket.priority);
    } else {
      bucket.groups.set(group.name, bucket.turns.push(group));
    }
  }
}

// A first-in-first-out list from whose middle values can be taken out in constant time.
// Not a Map: deleting a Map's first entry again and again leaves holes that every look at the new first has to skip.

/** The place of one value in a {@link LinkedQueue}. */
export interface LinkedNode<T> {
  readonly value: T;
  next: LinkedNode<T> | undefined;
  previous: LinkedNode<T> | undefined;
}

/** A queue whose values can leave from anywhere. A node belongs to one queue and leaves it once. */
export class LinkedQueue<T> {
  #first: LinkedNode<T> | undefined;
  #last: LinkedNode<T> | undefined;

  /** The value that has been here longest. */
  get first(): LinkedNode<T> | undefined {
    return this.#first;
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  /** Appends a value; the node takes it out again. */
  push(value: T): LinkedNode<T> {
    const node: LinkedNode<T> = { value, next: undefined, previous: this.#last };
    if (this.#last === undefined) this.#first = node;
    else this.#last.next = node;
    this.#last = node;
    return node;
  }

  /** Takes a node of this queue out. */
  remove(node: LinkedNode<T>): void {
    if (node.previous === undefined) this.#first = node.next;
    else node.previous.next = node.next;
    if (node.next === undefined) this.#last = node.previous;
    else node.next.previous = node.previous;
    node.next = undefined;
    node.previous = undefined;
  }
}
