#pragma once
namespace stance::collision {
struct HeightFieldSpec {};
struct HeightField {};
}  // namespace stance::collision
