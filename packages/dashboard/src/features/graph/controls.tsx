/** What lies over the canvas: the zoom, and the overview map of a graph that does not fit. */
import { MiniMap, Panel, useReactFlow } from '@xyflow/react';
import { useState, type ReactNode } from 'react';
import { FitIcon, MapIcon, MinusIcon, PlusIcon } from '../../ui/icons.js';
import type { StepNode } from './context.js';
import { useGraphWords } from './words.js';

const ZOOM_DURATION_MS = 150;
const STORAGE_KEY = 'graph-map';
const MAP_SIZES = { wide: { width: 220, height: 140 }, tall: { width: 110, height: 260 } };

export type MapShape = keyof typeof MAP_SIZES;

export const durationMs = (): number => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ZOOM_DURATION_MS);

/** @param map null if the frame shows all, and on a phone, which has no place for the map */
export function Controls({ map }: { map: MapShape | null }) {
  const words = useGraphWords();
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  const [isMapOn, setMapOn] = useState(() => localStorage.getItem(STORAGE_KEY) !== 'off');
  const options = { duration: durationMs() };
  const toggleMap = (): void => {
    localStorage.setItem(STORAGE_KEY, isMapOn ? 'off' : 'on');
    setMapOn(!isMapOn);
  };
  return (
    <>
      <Panel position="top-right" className="grid gap-1">
        <ControlButton label={words.zoomIn} onClick={() => void zoomIn(options)}>
          <PlusIcon />
        </ControlButton>
        <ControlButton label={words.zoomOut} onClick={() => void zoomOut(options)}>
          <MinusIcon />
        </ControlButton>
        <ControlButton label={words.fit} onClick={() => void fitView({ ...options, padding: 0.05, maxZoom: 1 })}>
          <FitIcon />
        </ControlButton>
        {map && (
          <ControlButton label={words.map} onClick={toggleMap} isPressed={isMapOn}>
            <MapIcon />
          </ControlButton>
        )}
      </Panel>
      {map && isMapOn && <OverviewMap shape={map} />}
    </>
  );
}

/** A click or a drag there moves the graph. It repeats what the canvas shows, so only the pointer needs it. */
function OverviewMap({ shape }: { shape: MapShape }) {
  const { getZoom, setCenter } = useReactFlow();
  return (
    <div aria-hidden>
      <MiniMap<StepNode>
        style={MAP_SIZES[shape]}
        pannable
        ariaLabel={null}
        nodeClassName={classOf}
        onClick={(_event, { x, y }) => void setCenter(x, y, { zoom: getZoom(), duration: durationMs() })}
      />
    </div>
  );
}

const classOf = ({ data: { isSelected, state } }: StepNode): string => (isSelected || state ? 'graph-marked' : '');

interface ButtonProps {
  label: string;
  onClick: () => void;
  isPressed?: boolean;
  children: ReactNode;
}

const ControlButton = ({ label, onClick, isPressed, children }: ButtonProps) => (
  <button
    type="button"
    aria-label={label}
    aria-pressed={isPressed}
    title={label}
    onClick={onClick}
    className="grid size-9 cursor-pointer place-content-center rounded-lg border border-control bg-surface hover:bg-raised aria-pressed:bg-accent-soft aria-pressed:text-accent"
  >
    {children}
  </button>
);
