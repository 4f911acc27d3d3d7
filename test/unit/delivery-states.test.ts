import { describe, expect, it } from 'vitest';
import { planMarks } from '../../src/domain/delivery/chunk.js';
import { applyJournal, parseJournal } from '../../src/domain/delivery/journal.js';
import { chunkSizeFor, markUnknown, numberOf, positionsOf, State, toStates } from '../../src/domain/delivery/states.js';

const idOf = (n: number): string => `01a203b2-0310-76c3-9199-0fbc${n.toString(16).padStart(8, '0')}`;
const { OPEN, SENT, FAILED, UNKNOWN, SETTLED } = State;

describe('positions', () => {
  it('follow the number in the id of a range, also across gaps', () => {
    const positionOf = positionsOf({ size: 1000, firstId: idOf(2001), lastId: idOf(3000), members: null });
    expect([2001, 2002, 3000].map((n) => positionOf(idOf(n)))).toEqual([0, 1, 999]);
    expect([2000, 3001].map((n) => positionOf(idOf(n)))).toEqual([-1, -1]);
    expect(numberOf(idOf(4_000_000_000))).toBe(4_000_000_000);
  });

  it('follow the list of a retry chunk', () => {
    const positionOf = positionsOf({ size: 2, firstId: null, lastId: null, members: [idOf(7), idOf(3)] });
    expect([idOf(7), idOf(3), idOf(4)].map(positionOf)).toEqual([0, 1, -1]);
  });
});

describe('the size of a chunk', () => {
  it.each([
    [0, 1000],
    [1, 20],
    [10, 20],
    [100, 200],
    [100_000, 1000],
  ])('with a rate of %i per second is %i', (perSecond, size) => {
    expect(chunkSizeFor(perSecond)).toBe(size);
  });
});

describe('the marks of a flush', () => {
  const chunk = (size: number, mark = 0, handed = 0) => ({ states: Buffer.alloc(size), mark, handed });

  it('allow 100 emails at the start, and three times as many as since the previous flush', () => {
    expect(planMarks([chunk(1000), chunk(1000)], 0)).toEqual([100, 0]);
    expect(planMarks([chunk(1000, 700, 600), chunk(1000)], 300)).toEqual([1000, 500]);
  });

  it('never go back', () => {
    expect(planMarks([chunk(1000, 800, 100)], 0)).toEqual([800]);
  });

  it('skip settled emails', () => {
    const resumed = chunk(1000);
    resumed.states.fill(SETTLED, 0, 990);
    expect(planMarks([resumed], 0)).toEqual([1000]);
  });
});

describe('the states of a lost chunk', () => {
  it('without a journal are unknown below the mark', () => {
    const states = toStates(Buffer.from([SENT, OPEN, SETTLED, OPEN]), 5);
    markUnknown(states, 3);
    expect([...states]).toEqual([SENT, UNKNOWN, SETTLED, OPEN, OPEN]);
  });

  /** A record of the journal. */
  const record = (position: number, code: number, text = '', flags = 0): Buffer => {
    const bytes = Buffer.from(text);
    const header = Buffer.alloc(6);
    header.writeUInt16LE(position, 0);
    header[2] = code;
    header[3] = flags;
    header.writeUInt16LE(bytes.length, 4);
    return Buffer.concat([header, bytes]);
  };

  it('with a journal are unknown only if the email was handed over without a result', () => {
    const journal = parseJournal(
      Buffer.concat([
        record(0, 255),
        record(1, 255),
        record(2, 255),
        record(0, SENT, '250 ok', 1),
        record(2, FAILED, '550 no', 1),
      ]),
    );
    const states = toStates(null, 4);
    applyJournal(states, journal);
    expect([...states]).toEqual([SENT, UNKNOWN, FAILED, OPEN]);
    expect(journal.results.get(0)).toEqual({ state: SENT, error: null, response: '250 ok', isAmbiguous: false });
    expect(journal.results.get(2)).toEqual({ state: FAILED, error: '550 no', response: '550 no', isAmbiguous: false });
  });

  it('keep the results that PostgreSQL has', () => {
    const states = toStates(Buffer.from([SETTLED, SENT]), 2);
    applyJournal(states, parseJournal(Buffer.concat([record(0, 255), record(1, 255)])));
    expect([...states]).toEqual([SETTLED, SENT]);
  });

  it('ignore a truncated record at the end', () => {
    const whole = Buffer.concat([record(0, 255), record(0, SENT, '250 ok', 1)]);
    for (let length = 7; length < whole.length; length++) {
      const states = toStates(null, 1);
      applyJournal(states, parseJournal(whole.subarray(0, length)));
      expect([...states], `${length} bytes`).toEqual([UNKNOWN]);
    }
  });
});
