"""Packed weights give the same product; models that cannot use them do not change."""

import pytest
import torch
from torch.nn import Linear, Module, Sequential

from wsd.encoder.load_model import PackedLinear, pack

X = torch.randn((7, 5, 16), generator=torch.Generator().manual_seed(1))


def can_pack(dtype: torch.dtype) -> bool:
    """Return whether torch packs such numbers on this processor; AVX2 alone has no bfloat16."""
    if not torch.backends.mkldnn.is_available():
        return False
    weight = torch.ones((2, 2), dtype=dtype)
    try:
        torch.ops.mkldnn._reorder_linear_weight(weight, 1)
    except RuntimeError:
        return False
    return True


needs_packing = pytest.mark.skipif(not can_pack(torch.float32), reason="torch cannot pack here")


def run(model: Module, x: torch.Tensor = X) -> torch.Tensor:
    with torch.inference_mode():
        return model(x)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("rows", [1, 3, 512, 700])
def test_a_layer_is_packed_where_the_processor_can_and_gives_the_same_product(
    bias: bool, dtype: torch.dtype, rows: int
) -> None:
    model = Sequential(Linear(16, 24, bias=bias)).to(dtype)
    x = torch.randn((rows, 16), generator=torch.Generator().manual_seed(rows)).to(dtype)
    expected = run(model, x)
    assert pack(model, lambda: run(model, x)) == can_pack(dtype)
    assert isinstance(model[0], PackedLinear) == can_pack(dtype)
    got = run(model, x)
    assert got.dtype == dtype
    rounding = 1e-5 if dtype is torch.float32 else 0.05
    assert torch.allclose(got, expected, rtol=rounding, atol=rounding)


@needs_packing
def test_every_plain_linear_layer_is_packed_shared_ones_once() -> None:
    shared = Linear(16, 16)
    model = Sequential(shared, Sequential(Linear(16, 16), torch.nn.GELU()), shared)
    before = run(model)
    assert pack(model, lambda: run(model))
    kinds = [type(m) for m in model.modules() if isinstance(m, Linear | PackedLinear)]
    assert kinds == [PackedLinear] * 2
    assert model[0] is model[2]
    assert torch.allclose(run(model), before, atol=1e-6)


class ReadsWeights(Module):
    def __init__(self) -> None:
        super().__init__()
        self.dense = Linear(16, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.dense(x) + self.dense.weight.sum()


class Own(Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * super().forward(x)


@pytest.mark.parametrize(
    "model",
    [ReadsWeights(), Own(16, 16), Sequential(Own(16, 16)), Sequential(Linear(16, 16).double())],
)
def test_other_layers_do_not_change(model: Module) -> None:
    x = X.double() if next(model.parameters()).dtype is torch.float64 else X
    before = run(model, x)
    assert not pack(model, lambda: run(model, x))
    assert not any(isinstance(module, PackedLinear) for module in model.modules())
    assert torch.equal(run(model, x), before)


@needs_packing
def test_a_product_that_differs_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    forward = PackedLinear.forward
    monkeypatch.setattr(PackedLinear, "forward", lambda self, x: 1.001 * forward(self, x))
    model = Sequential(Linear(16, 16))
    assert not pack(model, lambda: run(model))
    assert type(model[0]) is Linear


def test_weights_that_are_not_finite_are_not_packed() -> None:
    model = Sequential(Linear(16, 16))
    with torch.no_grad():
        model[0].weight[0, 0] = float("nan")
    assert not pack(model, lambda: run(model))
